import { isRecord } from '../../../base/record.js';
import { own, type Pod } from '../pod.js';
import { PROXY_UID } from '../proxy-container.js';

/** The proxy's own traffic is not captured, and it is known by its user. */
export function warnOfUsers({ spec }: Pod): readonly string[] {
  const userOf = (context: unknown): unknown => (isRecord(context) ? own(context, 'runAsUser') : undefined);
  const ofPod = userOf(own(spec, 'securityContext'));
  return (spec.containers ?? [])
    .filter((container) => (userOf(own(container, 'securityContext')) ?? ofPod) === PROXY_UID)
    .map(({ name }) => `container ${name} runs as user ${PROXY_UID}, the proxy's own: its traffic is not captured`);
}
