# Build stage with all packages, runtime stage with production packages. Debian 13: on Node 24 the HTTP engine needs glibc 2.38,
# and it has no binary for musl (Alpine).
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Native packages contain their binaries, so no install script has to run.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY bin bin
COPY sql sql
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-trixie-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist/src dist/src
COPY --from=build /app/bin bin
COPY --from=build /app/sql sql
COPY --from=build /app/package.json package.json
COPY LICENSE compose.yaml ./
# What latchkey init starts from.
COPY deploy/proxies/Caddyfile deploy/proxies/Caddyfile
COPY deploy/systemd/latchkey.service deploy/systemd/latchkey.service
# A user of the base image that owns no files here, so the program cannot modify itself.
USER node
EXPOSE 8081
# Liveness only: an unavailable database must not restart the container. Use /health/ready before sending traffic.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || process.env.AUTH_API_PORT || process.env.AUTH_PORT || 8081}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/latchkey.cjs"]
CMD ["serve"]
