# Built with:  make image
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /slackbridge ./cmd/slackbridge

# Servers over stdio need their own runtime (Node, Python): build your image
# FROM one that has it, and copy /slackbridge into it.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /slackbridge /slackbridge
EXPOSE 8080
ENTRYPOINT ["/slackbridge"]
CMD ["serve"]
