import type { HttpClientConfig, ServiceConfig } from '../../config/policy/client-config.js';

/**
 * The configuration for a request of a client that serves several services (SPEC 2.13 `serviceConfigs`).
 *
 * @param destinationService the value of `destination.service`; `defaultDestinationService` when the request has none
 * @returns undefined for a service that is not configured: what the client itself says is all that applies then
 */
export function serviceConfigFor(
  { serviceConfigs, defaultDestinationService }: HttpClientConfig,
  destinationService: string | undefined,
): ServiceConfig | undefined {
  const service = destinationService || defaultDestinationService;
  return service !== undefined && Object.hasOwn(serviceConfigs, service) ? serviceConfigs[service] : undefined;
}
