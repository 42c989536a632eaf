/** Kinds with one object for each workload. Lists show them only when they are asked for. */
export const NUMEROUS_KINDS: ReadonlySet<string> = new Set(['Pod', 'Node', 'Endpoints', 'EndpointSlice']);
