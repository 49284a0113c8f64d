# docs/install.md says how to use it.

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -m 700 /data

# The image contains the program, root certificates, and an empty directory for the data, which is
# the only one that the program can write to.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=1000:1000 /data /data
COPY --from=build /src/waymark /usr/bin/
ENV PATH=/usr/bin WAYMARK_DATA=/data WAYMARK_LISTEN=:8080 TMPDIR=/data
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --start-period=10s CMD ["waymark", "healthcheck"]
ENTRYPOINT ["waymark"]
CMD ["serve"]
