import type { AnalysisMessage } from './analysis-message.js';

/**
 * What the messages of the table call a setting, and what it is for users of `manifests/`, who have ConfigMaps and a
 * Deployment where others have files and a command line. The first place in a message says it.
 */
const IN_POD: readonly (readonly [general: RegExp, inPod: string])[] = [
  [/the file of --policyConfig/, 'the ConfigMap mesh-policy'],
  [/the mesh config/, 'the mesh config (ConfigMap mesh)'],
  [/--plugins/, 'the argument --plugins of the Deployment meshd'],
  [/NAV_[A-Z_]+/, '$& of the Deployment meshd'],
];

/** The same message for a reader whose control plane is a pod. */
export function inPod(message: AnalysisMessage): AnalysisMessage {
  const text = IN_POD.reduce((so, [general, place]) => so.replace(general, place), message.message);
  return text === message.message ? message : { ...message, message: text };
}
