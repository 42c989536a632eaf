import { counter } from './family.js';

/** Families of the validation and injection webhooks (docs/reference/metrics.md). */
export const webhookFamilies = {
  cfgsrv_validation_config_delete_error: counter('Webhook configuration delete errors.', 'reason'),
  cfgsrv_validation_config_load: counter('Webhook configuration (re)loads.'),
  cfgsrv_validation_config_load_error: counter('Webhook configuration (re)load errors.', 'reason'),
  cfgsrv_validation_config_update_error: counter('Webhook configuration update errors.', 'reason'),
  cfgsrv_validation_config_updates: counter('Webhook configuration updates.'),
  cfgsrv_validation_failed: counter('Resource validations that failed.', 'group', 'version', 'resource', 'reason'),
  cfgsrv_validation_http_error: counter('Validation HTTP serve errors.', 'status'),
  cfgsrv_validation_passed: counter('Resources that are valid.', 'group', 'version', 'resource'),
  nav_webhook_shed_total: counter('Reviews turned away under load, by kind of caller and limit.', 'caller', 'reason'),
  sidecar_injection_failure_total: counter('Failed sidecar injection requests.'),
  sidecar_injection_requests_total: counter('Sidecar injection requests.'),
  sidecar_injection_skip_total: counter('Skipped sidecar injection requests.'),
  sidecar_injection_success_total: counter('Successful sidecar injection requests.'),
} as const;
