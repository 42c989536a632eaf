import { isDeepStrictEqual } from 'node:util';
import type { PolicyServerConfig } from '../../../config/policy-server/policy-server-config.js';
import { createRemoteHandler } from '../../remote/remote-handler.js';
import { createPolicyServerMetrics } from '../policy-server-metrics.js';
import type { ConfiguredHandler, PolicyHandlersOptions } from './configured-handler.js';

export function openRemoteHandler(
  { backend }: PolicyServerConfig,
  options: PolicyHandlersOptions,
): ConfiguredHandler | undefined {
  if (backend === undefined) return undefined;
  const metrics = createPolicyServerMetrics(options.metrics);
  const transport = options.connect(backend);
  const handler = createRemoteHandler({
    ...options,
    transport,
    switches: backend.transport,
    onCounted: metrics.clientCounted,
    onReportsLost: (reports, error) => {
      metrics.reportsFailed('backend', reports);
      options.limitedLog.warn({ err: error, reports }, 'reports lost: the remote policy server did not take them');
    },
    disconnect: transport.close,
  });
  return {
    handler,
    follow: (wanted) => isDeepStrictEqual(backend, wanted.backend),
    isUp: () => true,
  };
}
