import { containerOf, type TestPod } from './injection.js';

/**
 * The variables of a container, with the values of references for a pod with an address.
 *
 * @param container default: the proxy
 */
export function variablesOf(
  pod: TestPod,
  address: string,
  container = 'mesh-proxy',
  namespace = 'shop',
): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = {
    POD_NAME: pod.metadata.name ?? `${pod.metadata.generateName}x`,
    POD_NAMESPACE: namespace,
    INSTANCE_IP: address,
    INSTANCE_IPS: address,
    SERVICE_ACCOUNT: String(pod.spec['serviceAccountName'] ?? 'default'),
  };
  const env = containerOf(pod, container).env ?? [];
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? fields[name] ?? '']));
}

/** The rule of Kubernetes: $(NAME) of a known variable is expanded, and $$ is a dollar. */
export function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (reference, name: string | undefined) => {
    if (name === undefined) return '$';
    return variables[name] ?? reference;
  });
}

/** Envoy's bootstrap as it arrives in the proxy's container. */
export function bootstrapOf(pod: TestPod, address = '10.244.0.5'): Readonly<Record<string, unknown>> {
  const args = containerOf(pod, 'mesh-proxy').args ?? [];
  const text = args[args.indexOf('--config-yaml') + 1] ?? '';
  return JSON.parse(expand(text, variablesOf(pod, address)));
}
