import type { KindFields } from './kind-fields.js';

const SCOPE = 'a sidecar reaches only the services that its egress hosts name';
const SELECTED = 'the root namespace has the default, a namespace its own, and a selector goes before both';
const POLICY = 'the outbound policy of a Sidecar replaces that of the mesh';
const BOUND = 'a listener with port and address serves its hosts there, bound with capture mode NONE';
const CAPTURED = 'a listener with a port takes redirected connections to its services';
const INGRESS = 'an ingress listener sends the requests to a port to its default endpoint';
const BOUND_INGRESS =
  'an ingress listener with capture mode NONE binds its port, at the workload or at its own address';

export const SIDECAR: KindFields = {
  kind: 'Sidecar',
  file: 'e2e/sidecar.test.ts',
  fields: {
    'Sidecar.workloadSelector': SELECTED,
    'Sidecar.ingress': INGRESS,
    'Sidecar.egress': SCOPE,
    'Sidecar.outboundTrafficPolicy': POLICY,
    'IngressListener.port': INGRESS,
    'IngressListener.bind': BOUND_INGRESS,
    'IngressListener.captureMode': BOUND_INGRESS,
    'IngressListener.defaultEndpoint': INGRESS,
    'EgressListener.port': BOUND,
    'EgressListener.bind': BOUND,
    'EgressListener.captureMode': CAPTURED,
    'EgressListener.hosts': SCOPE,
    'WorkloadSelector.labels': SELECTED,
    'OutboundTrafficPolicy.mode': POLICY,
    'OutboundTrafficPolicy.egressProxy': 'requests and connections to unknown hosts go to the egress proxy',
    'OutboundTrafficPolicy.Mode.REGISTRY_ONLY': POLICY,
    'OutboundTrafficPolicy.Mode.ALLOW_ANY': POLICY,
    'CaptureMode.DEFAULT': CAPTURED,
    'CaptureMode.IPTABLES': CAPTURED,
    'CaptureMode.NONE': BOUND,
  },
};
