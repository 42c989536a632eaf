import type { BuildInfo } from '../telemetry/build-info.js';

/** ControlPlane.identifier of every response: which component, which instance, which build (BEHAVIOUR 5). */
export function controlPlaneIdentity(build: BuildInfo, podName: string): string {
  return JSON.stringify({
    Component: 'navigator',
    ID: podName,
    Info: { version: build.version, revision: build.revision, status: build.status, tag: build.tag },
  });
}
