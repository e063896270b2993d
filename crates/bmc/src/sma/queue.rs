//! Queues: placeholder.
