import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { LoadBalancingPolicy } from '../../generated/envoy/config/cluster/v3/LoadBalancingPolicy.js';
import type { LoadBalancer } from '../../model/traffic/cluster-policy.js';

const POLICIES = 'type.googleapis.com/envoy.extensions.load_balancing_policies';

type BalancingFields = Pick<Cluster, 'lbPolicy' | 'ringHashLbConfig' | 'loadBalancingPolicy'>;

/** Makes the fields of a cluster that choose among its endpoints. */
export type GrpcBalancing = (balancer: LoadBalancer) => BalancingFields;

/**
 * Not every gRPC library has least requests, and the field `lb_policy` names one policy only. So a list of policies comes
 * beside it, of which a library takes the first that it has (gRFC A52); a library without lists reads `lb_policy`.
 */
export function createGrpcBalancing(encoder: MessageEncoder): GrpcBalancing {
  const policy = (name: string, config: object) => ({
    typedExtensionConfig: {
      name: `envoy.load_balancing_policies.${name}`,
      typedConfig: encoder.packAny(`${POLICIES}.${name}.v3.${messageName(name)}`, config),
    },
  });
  const leastRequest: LoadBalancingPolicy = {
    policies: [
      policy('wrr_locality', {
        endpointPickingPolicy: { policies: [policy('least_request', {}), policy('round_robin', {})] },
      }),
    ],
  };
  return (balancer) => {
    switch (balancer.type) {
      case 'consistentHash':
        return { lbPolicy: 'RING_HASH', ringHashLbConfig: { minimumRingSize: { value: balancer.minimumRingSize } } };
      case 'leastRequest':
        return { lbPolicy: 'ROUND_ROBIN', loadBalancingPolicy: leastRequest };
      default:
        return { lbPolicy: 'ROUND_ROBIN' };
    }
  };
}

/** `wrr_locality` has the message `WrrLocality`. */
function messageName(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
