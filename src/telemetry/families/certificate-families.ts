import { counter, measured } from './family.js';

/** Families of the certificate authority (docs/reference/metrics.md). */
export const certificateFamilies = {
  ca_server_authentication_failure_count: counter('Authentication failures.'),
  ca_server_cert_chain_expiry_timestamp: measured(
    'Unix time in seconds when the cert chain expires; negative means expired.',
  ),
  ca_server_csr_count: counter('CSRs received.'),
  ca_server_csr_parsing_err_count: counter('CSR parsing errors.'),
  ca_server_csr_sign_err_count: counter('CSR signing errors.', 'error'),
  ca_server_id_extraction_err_count: counter('Errors extracting the ID from a CSR.'),
  ca_server_root_cert_expiry_timestamp: measured(
    'Unix time in seconds when the root cert expires; negative means expired.',
  ),
  ca_server_success_cert_issuance_count: counter('Successful certificate issuances.'),
} as const;
