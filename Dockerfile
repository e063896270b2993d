# docker build -t fencepost .
# docker run --rm -v "$PWD:/work" fencepost check lock.c

FROM rust:1.88-slim-bookworm AS build
# The SAT solver is C++.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package fencepost

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Fencepost" \
      org.opencontainers.image.source="https://github.com/fencepost-verifier/fencepost" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
# C files are preprocessed by the system's compiler. Its headers are not needed: Fencepost has its own.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home fencepost
COPY --from=build /source/target/release/fencepost /usr/local/bin/fencepost
COPY LICENSE-APACHE LICENSE-MIT /usr/local/share/doc/fencepost/
USER fencepost
WORKDIR /work
ENTRYPOINT ["fencepost"]
CMD ["--help"]
