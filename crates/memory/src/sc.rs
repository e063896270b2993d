//! Sequential consistency: the default rules of [`Memory`]. A store writes memory at once, so
//! buffers stay empty and fences do nothing.

use crate::model::Memory;

/// Sequential consistency.
#[derive(Clone, Copy, Debug)]
pub struct Sc;

impl Memory for Sc {}
