import { Type } from '../schema/type.js';

/** The policy settings of the mesh config file, which are flat in it (BEHAVIOUR 8, "Policy"). */
export const policyFields = {
  mixerCheckServer: Type.String({
    description: 'host:port of the server that checks; embedded for the one in this process; empty for none.',
    default: '',
  }),
  mixerReportServer: Type.String({
    description: 'host:port of the server that takes reports; embedded for the one in this process; empty for none.',
    default: '',
  }),
  disablePolicyChecks: Type.Boolean({ description: 'Whether requests go unchecked.', default: true }),
  policyCheckFailOpen: Type.Boolean({
    description: 'Whether requests pass when the server cannot be reached: FAIL_OPEN (SPEC 2.12 and 7), or FAIL_CLOSE.',
    default: true,
  }),
  disableMixerHttpReports: Type.Boolean({ description: 'Whether HTTP requests go unreported.', default: true }),
  enableClientSidePolicyCheck: Type.Boolean({ description: 'Whether the calling side checks too.', default: false }),
  sidecarToTelemetrySessionAffinity: Type.Boolean({
    description: 'Whether a proxy reports to one server always.',
    default: false,
  }),
  reportBatchMaxEntries: Type.Integer({
    description:
      'Reports in one call of the policy server to the server at backend: {address}, and of the client library; 0 means 100. Envoy batches the reports of a proxy by bytes, and knows no number of them.',
    minimum: 0,
    maximum: 4294967295,
    default: 100,
  }),
  reportInterval: Type.String({
    description:
      'Time between two reports of a TCP connection that stays open (SPEC 2.14). Below one second it is one second, 0s too.',
    default: '10s',
  }),
  statsUpdateInterval: Type.String({
    description:
      'How often clients publish their counters (SPEC 2.12); the policy server adds them to policy_server_client_events_total. Below one second it is one second, 0s too.',
    default: '10s',
  }),
  policyBindingScope: Type.Enum(['GRANTED_NAMESPACES', 'ALL_NAMESPACES'], {
    description:
      'Where QuotaSpecBindings and HTTPAPISpecBindings of a cluster act: on their own namespace and on those whose annotation policy.<mesh domain>/bindings-from names it, or on all. Those of rootNamespace and of files act on all always.',
    default: 'GRANTED_NAMESPACES',
  }),
  reportBatchMaxTime: Type.String({
    description:
      'Longest time that a report waits for others: in the proxy, in the policy server before backend: {address}, and in the client library. 0s means 1s.',
    default: '1s',
  }),
};
