import type { Clock } from '../base/clock.js';
import { commonServerName } from '../ca/server-certificate/server-names.js';
import { type AskingInstances, createAskingInstances } from '../instances/ask-instances.js';
import { instanceAddresses } from '../instances/instance-addresses.js';
import type { PushContext } from '../model/push-context.js';
import type { TlsMaterialSource } from '../net/tls-material.js';

export interface InstancesParts {
  /** The newest snapshot, at the time of the call. */
  readonly context: () => PushContext | undefined;
  /** The certificate of the control plane. */
  readonly material: TlsMaterialSource;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** Unique among the instances. */
  readonly identity: string;
  readonly clock: Clock;
}

/** The other instances of the control plane, as the newest snapshot has them. */
export function createInstances({ context, material, namespace, identity, clock }: InstancesParts): AskingInstances {
  return createAskingInstances({
    addresses: () => {
      const newest = context();
      return newest === undefined ? [] : instanceAddresses(newest);
    },
    material: material.current,
    serverName: commonServerName(namespace),
    ownId: identity,
    clock,
  });
}
