import { keyOf, type MeshObject } from '../../../../config/object.js';
import { type AnalysisMessage, createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { ClientTlsPart, DestinationRulePart, TrafficPolicyPart } from '../../traffic/traffic-specs.js';

/** TLS of DestinationRules without a CA certificate: clients accept any server. */
export const unverifiedServers: ObjectAnalyzer = {
  kinds: ['DestinationRule'],
  find: (object) => {
    const { trafficPolicy, subsets = [] } = object.body as DestinationRulePart;
    return [
      ...aboutPolicy(object, 'spec.trafficPolicy', trafficPolicy),
      ...subsets.flatMap((subset, at) =>
        aboutPolicy(object, `spec.subsets[${at}].trafficPolicy`, subset.trafficPolicy),
      ),
    ];
  },
};

function aboutPolicy(
  object: MeshObject,
  field: string,
  policy: TrafficPolicyPart | undefined,
): readonly AnalysisMessage[] {
  const key = keyOf(object);
  return [
    ...(isUnverified(policy?.tls)
      ? [createMessage('unverifiedDestination', { object: key, field: `${field}.tls` }, textOf(policy?.tls))]
      : []),
    ...(policy?.portLevelSettings ?? []).flatMap(({ tls }, at) =>
      isUnverified(tls)
        ? [
            createMessage(
              'unverifiedPort',
              { object: key, field: `${field}.portLevelSettings[${at}].tls` },
              textOf(tls),
            ),
          ]
        : [],
    ),
  ];
}

function isUnverified(tls: ClientTlsPart | undefined): boolean {
  if (tls?.mode !== 'SIMPLE' && tls?.mode !== 'MUTUAL') return false;
  return (tls.caCertificates ?? '') === '' && (tls.credentialName ?? '') === '';
}

function textOf(tls: ClientTlsPart | undefined): string {
  return `TLS mode ${tls?.mode} has no caCertificates, so the certificate of the server is not verified`;
}
