//! `fencepost explain`: a violation in sentences.

use crate::Exit;
use crate::check::{Telling, tell};
use crate::options::ExplainOptions;

pub fn run(options: &ExplainOptions) -> Exit {
    tell(&options.check, Telling::Story(options.fence_time))
}
