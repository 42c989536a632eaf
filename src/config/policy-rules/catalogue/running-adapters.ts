/** The built-in adapters that policy servers run. */
export const RUNNING_ADAPTERS = [
  'denier',
  'listchecker',
  'memquota',
  'noop',
  'otlp',
  'prometheus',
  'redisquota',
  'stdio',
] as const;

export type RunningAdapter = (typeof RUNNING_ADAPTERS)[number];

/** Whether policy servers run an adapter. */
export function runs(adapter: string): adapter is RunningAdapter {
  return (RUNNING_ADAPTERS as readonly string[]).includes(adapter);
}
