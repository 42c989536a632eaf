# The image of both programs. Build: docker build --build-arg REVISION=$(git rev-parse HEAD) -t navigator-discovery:0.1.0 .

FROM node:24-bookworm-slim AS build
WORKDIR /app
# Files that seldom change come first, so that packages are installed again only after a change.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/ scripts/
COPY proto/ proto/
COPY src/ src/
# The revision for `version`: the build has no repository to read it from.
ARG REVISION=unknown
RUN npm run build && printf '{"revision":"%s"}' "$REVISION" > build/build-info.json && \
    node scripts/sbom.mjs build/sbom.cdx.json
RUN npm prune --omit=dev --ignore-scripts
# Programs without their extension. The image has no /usr/bin/env, so their first line names Node.js itself.
RUN sed -i '1s|.*|#!/nodejs/bin/node|' build/programs/navigator-discovery.js build/programs/navigator-policy.js && \
    chmod 755 build/programs/navigator-discovery.js build/programs/navigator-policy.js && mkdir -p /links && \
    ln -s /app/build/programs/navigator-discovery.js /links/navigator-discovery && \
    ln -s /app/build/programs/navigator-policy.js /links/navigator-policy
# Programs of `capture-traffic`, for init containers of injected pods; nf_tables or legacy, as on the node.
RUN apt-get update && apt-get install --yes --no-install-recommends iptables iproute2 && \
    scripts/collect-programs.sh /capture ip \
      iptables-nft-save iptables-nft-restore ip6tables-nft-save ip6tables-nft-restore \
      iptables-legacy-save iptables-legacy-restore ip6tables-legacy-save ip6tables-legacy-restore

# Node.js and the programs that set network rules: no shell, no package manager. Runs as user 65532.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG REVISION=unknown
LABEL org.opencontainers.image.title="navigator-discovery" \
      org.opencontainers.image.description="A service mesh control plane for stock Envoy" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="Apache-2.0" \
      internal.mesh.sbom="/app/sbom.cdx.json"
# The folder of relative paths: ./etc/cacerts, ./var/lib/mesh/inject.
WORKDIR /
COPY --from=build /capture/usr/ /usr/
COPY --from=build /app/package.json /app/package.json
COPY LICENSE /app/LICENSE
# The bill of materials (CycloneDX). Its label says where it is.
COPY --from=build /app/build/sbom.cdx.json /app/sbom.cdx.json
# The programs are bundles. They read some rarely used packages from here.
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/build/build-info.json /app/build/build-info.json
COPY --from=build /app/build/programs /app/build/programs
# For `kubectl exec deploy/meshd -- navigator-discovery request …`, and for `command: [navigator-policy]`.
COPY --from=build /links/ /usr/local/bin/
ENV NODE_ENV=production
ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/nodejs/bin
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/app/build/programs/navigator-discovery.js"]
CMD ["discovery"]
