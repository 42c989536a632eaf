import { httpConfigText } from '../../policy/server/policy-server-rig.js';

/** Client configuration in the outbound Checks of a sidecar. */
export function outboundConfigText(namespace: string): string {
  const uid = { stringValue: `orchestrator://client-0.${namespace}` };
  return httpConfigText({
    mixerAttributes: {
      attributes: {
        'context.reporter.kind': { stringValue: 'outbound' },
        'context.reporter.uid': uid,
        'source.uid': uid,
        'source.namespace': { stringValue: namespace },
      },
    },
  });
}
