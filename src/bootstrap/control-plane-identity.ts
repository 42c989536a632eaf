import type { BuildInfo } from '../telemetry/build-info.js';

/** ControlPlane.identifier of every response: the component, its instance and its build. */
export function controlPlaneIdentity(build: BuildInfo, podName: string): string {
  return JSON.stringify({
    Component: 'navigator',
    ID: podName,
    Info: { version: build.version, revision: build.revision, status: build.status, tag: build.tag },
  });
}
