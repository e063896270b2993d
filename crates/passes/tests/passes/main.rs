//! The passes: text forms that parse back, memory orders, time that grows with the text. One binary for all of it.

mod long_texts;
mod orders;
mod round_trip;
