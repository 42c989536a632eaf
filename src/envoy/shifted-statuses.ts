import type { ResponseMapper } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';

type Comparison = 'EQ' | 'GE';

/** The message requires one. Nothing sets it. */
const RUNTIME_KEY = 'mesh.policy';
/** The statuses that refusals of an authorization server have in practice, beside those that Envoy passes on itself. */
const EXACT = [200, 500, 501, 502, 503, 504];

/**
 * Gives responses the status that the authorization server wants. Envoy takes 200 from a server over HTTP/1.1 for a
 * permission, and 500 to 599 for errors of the server, so that the server adds a number to the status of such a refusal.
 * Statuses from 505 on become 500, which they are for every client (RFC 9110, 15).
 *
 * @param shift the number; such that no other response has the sum as its status
 */
export function buildShiftedStatuses(shift: number): readonly ResponseMapper[] {
  const last = Math.max(...EXACT) + 1;
  return [...EXACT.map((status) => mapper('EQ', status + shift, status)), mapper('GE', last + shift, 500)];
}

function mapper(op: Comparison, shifted: number, status: number): ResponseMapper {
  return {
    filter: {
      statusCodeFilter: {
        comparison: { op, value: { defaultValue: shifted, runtimeKey: RUNTIME_KEY } },
      },
    },
    statusCode: { value: status },
  };
}
