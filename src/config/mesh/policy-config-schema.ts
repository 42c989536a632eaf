import * as Type from 'typebox';

/** The policy settings of the mesh config file, which are flat in it (BEHAVIOUR 8, "Policy"). */
export const policyFields = {
  mixerCheckServer: Type.String({
    description:
      'host:port of the policy server that checks requests; embedded for the one in the control plane; if empty, there is none.',
    default: '',
  }),
  mixerReportServer: Type.String({
    description:
      'host:port of the policy server that takes reports; embedded for the one in the control plane; if empty, there is none.',
    default: '',
  }),
  disablePolicyChecks: Type.Boolean({ description: 'If true, proxies do not check requests.', default: true }),
  policyCheckFailOpen: Type.Boolean({
    description: 'Requests that cannot be checked: true lets them pass (FAIL_OPEN), false rejects them (FAIL_CLOSE).',
    default: true,
  }),
  disableMixerHttpReports: Type.Boolean({
    description: 'If true, proxies do not report HTTP requests.',
    default: true,
  }),
  enableClientSidePolicyCheck: Type.Boolean({
    description: 'If true, the proxy of the caller checks requests too.',
    default: false,
  }),
  sidecarToTelemetrySessionAffinity: Type.Boolean({
    description: 'If true, a proxy always reports to the same server.',
    default: false,
  }),
  reportBatchMaxEntries: Type.Integer({
    description:
      'Maximum reports in one call of the client library, or of the policy server to its backend; 0 means 100. Envoy batches by bytes instead.',
    minimum: 0,
    maximum: 4294967295,
    default: 100,
  }),
  reportInterval: Type.String({
    description: 'Interval between reports of an open TCP connection; at least one second, also for 0s.',
    default: '10s',
  }),
  statsUpdateInterval: Type.String({
    description:
      'Interval at which clients publish their counters; at least one second, also for 0s. The policy server adds them to policy_server_client_events_total.',
    default: '10s',
  }),
  policyBindingScope: Type.Enum(['GRANTED_NAMESPACES', 'ALL_NAMESPACES'], {
    description:
      'Namespaces that QuotaSpecBindings and HTTPAPISpecBindings of a cluster act on. GRANTED_NAMESPACES: their own, and namespaces whose annotation policy.<mesh domain>/bindings-from names it. ALL_NAMESPACES: all. Bindings of rootNamespace and of files always act on all.',
    default: 'GRANTED_NAMESPACES',
  }),
  reportBatchMaxTime: Type.String({
    description:
      'Maximum time that a report waits for others, in the proxy, in the client library, and in the policy server before its backend; 0s means 1s.',
    default: '1s',
  }),
};
