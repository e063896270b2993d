//! Reading of files and streams that may never end.

use std::io::{self, Read};
use std::path::Path;

/// Larger inputs are refused.
pub const MOST_BYTES: u64 = 64 << 20;

/// All of a stream, if it ends in time; of a longer one not much more than [`MOST_BYTES`] is read.
pub fn read(stream: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// All of a file, if it is not too large.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    if file.metadata().is_ok_and(|data| data.is_file() && data.len() > MOST_BYTES) {
        return Err(too_large());
    }
    read(file)
}

/// All of a regular file. Others, like devices and pipes, may have no end, or may have been read already.
pub fn read_regular(path: &Path) -> Option<Vec<u8>> {
    if std::fs::metadata(path).ok()?.is_file() { read_file(path).ok() } else { None }
}

fn too_large() -> io::Error {
    let message = format!("larger than {} MB, the most that is read", MOST_BYTES >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Zeros, and how many of them were taken.
    struct Endless<'a>(&'a Cell<u64>);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(0);
            self.0.set(self.0.get() + buffer.len() as u64);
            Ok(buffer.len())
        }
    }

    #[test]
    fn an_endless_stream_is_left_at_the_limit() {
        let taken = Cell::new(0);
        assert!(read(Endless(&taken)).is_err());
        assert_eq!(taken.get(), MOST_BYTES + 1);
        assert_eq!(read(Endless(&taken).take(MOST_BYTES)).unwrap().len() as u64, MOST_BYTES);
    }
}
