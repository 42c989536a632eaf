import { CHECK_SECONDS, REQUEST_SECONDS } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/**
 * Families of the policy server (docs/policies.md). Services and operations are those of the configuration; others
 * count as `unknown`. Both sides of a connection report, and `reporter` distinguishes them.
 */
export const policyServerFamilies = {
  policy_server_checks_total: counter('Checks answered, by protocol and resulting status code.', 'protocol', 'code'),
  policy_server_check_duration_seconds: histogram('Seconds to answer a Check.', CHECK_SECONDS, 'protocol'),
  policy_server_check_failures_total: counter(
    'Checks that could not be read (message, config) or decided (internal); the fail policy decides then.',
    'reason',
  ),
  policy_server_shed_checks_total: counter(
    'Checks answered by their fail policy (allowed, refused) because the server was overloaded; not in checks_total.',
    'protocol',
    'answer',
  ),
  policy_server_fail_policy_answers_total: counter(
    'Checks answered by their fail policy (allowed, refused), by reason: the store or remote backend failed (backend), a quota could not be counted (quota), a rule could not be applied (rule), the server failed (internal) or was overloaded (overloaded).',
    'protocol',
    'reason',
    'answer',
  ),
  policy_server_dry_run_refusals_total: counter(
    'Requests that passed, and that a rule or a quota would have refused without dryRun, by its key or name.',
    'by',
    'name',
  ),
  policy_server_shed_share: gauge('Share of checks that the server sheds at the moment, from 0 to 1.'),
  policy_server_unknown_service_checks_total: counter('Checks for hosts that are not a service.', 'protocol'),
  policy_server_refused_calls_total: counter(
    "Calls that their caller's identity does not allow: not a workload of the mesh (identity), another workload's service (service), claims about other workloads (claims), a method for policy servers (method).",
    'reason',
  ),
  policy_server_refused_connections_total: counter(
    'Connections to the policy server that failed: plaintext where TLS is required, a failed handshake (tls), or nothing sent (silent).',
    'reason',
  ),
  policy_server_uncharged_checks_total: counter(
    'Outbound Checks that were allowed without charge, because the mesh does not check on that side and the caller is no gateway.',
  ),
  policy_server_undecided_checks_total: counter(
    'Checks for which a rule may charge more that cannot be used, or that takes too long to match: FAIL_CLOSE refuses them, FAIL_OPEN leaves the rule out.',
    'protocol',
  ),
  policy_server_policy_parts_left_out_total: counter(
    'Parts of policies that cannot be used, such as regular expressions beyond a budget, by where they came from (service, message).',
    'scope',
  ),
  policy_server_regex_bytes: gauge('Bytes that compiled regular expressions take, as estimated.'),
  policy_server_regex_programs: gauge('Compiled regular expressions and sets of them.'),
  policy_server_regex_evictions_total: counter(
    'Compiled regular expressions that were evicted because all together take more than NAV_REGEX_PROGRAMS_BYTES.',
  ),
  policy_server_requests_total: counter('Requests reported.', 'reporter', 'service', 'operation', 'response_code'),
  policy_server_request_duration_seconds: histogram(
    'Seconds that reported requests took.',
    REQUEST_SECONDS,
    'reporter',
    'service',
  ),
  policy_server_request_bytes_total: counter('Bytes of bodies of reported requests.', 'reporter', 'service'),
  policy_server_response_bytes_total: counter(
    'Bytes of bodies of responses to reported requests.',
    'reporter',
    'service',
  ),
  policy_server_connection_events_total: counter(
    'TCP connections reported as opened, going on (continue), closed.',
    'reporter',
    'service',
    'event',
  ),
  policy_server_connection_received_bytes_total: counter(
    'Bytes that reported connections brought to their service.',
    'reporter',
    'service',
  ),
  policy_server_connection_sent_bytes_total: counter(
    'Bytes that reported connections brought from their service.',
    'reporter',
    'service',
  ),
  policy_server_client_events_total: counter(
    'Counters of the policy clients of this process, such as total_remote_check_calls.',
    'counter',
  ),
  policy_server_report_failures_total: counter(
    'Reports lost: unreadable (message), failed (internal), not taken by the remote backend (backend).',
    'reason',
  ),
} as const;

/** Families of the quotas that the policy server counts. Labels come from configuration. */
export const policyQuotaFamilies = {
  policy_server_quota_charges_total: counter(
    'Charges by quota: granted, partial, refused, or withheld because another quota of the request refused.',
    'quota',
    'result',
  ),
  policy_server_quota_evicted_counters_total: counter(
    'Counters evicted before their window expired, because a quota had storage.maxCounters of them.',
    'quota',
  ),
  policy_server_quota_unknown_keys_total: counter(
    'Requests refused because the quota does not list their key.',
    'quota',
  ),
  policy_server_plan_charges_total: counter(
    'Charges of limits of plans, with the results of policy_server_quota_charges_total. Beyond 500 plans, the plan is `other`.',
    'plan',
    'result',
  ),
  policy_server_plan_refusals_total: counter(
    'Requests to services with plans that were refused before they were counted: without a key (noKey), with an unknown key (unknownKey), or with a key whose plan does not include them (notIncluded).',
    'reason',
  ),
  policy_server_quota_refunds_total: counter(
    'Refunds of requests after their response: made (refunded), or not because the request was refunded before (used), its window or the five minutes after its check had passed (expired), its counter had given back its whole limit (limited), the ticket was invented or of another store (forged), the store failed (failed) or had too much to do (dropped).',
    'result',
  ),
  policy_server_quota_receipts_total: counter(
    'Receipts of charges: given to a router (issued), taken from a request whose charges it covers (redeemed), or of no use because it was used before, is older than a minute or is invented (unknown).',
    'result',
  ),
  policy_server_fast_requests_total: counter(
    'Requests that proxies have counted by themselves for fast quotas, by quota and result: allowed or refused.',
    'quota',
    'result',
  ),
  policy_server_fast_assignments_total: counter('Assignments of buckets of fast quotas to proxies.'),
  policy_server_fast_buckets: gauge('Buckets of fast quotas that proxies have.'),
  policy_server_fast_proxies: gauge('Proxies that are connected for fast quotas.'),
  policy_server_fast_abandoned_buckets_total: counter(
    'Buckets that proxies were told to forget: without requests for a minute (idle), or beyond the number of buckets (limit).',
    'reason',
  ),
  policy_server_fast_refused_buckets_total: counter(
    'Reports of buckets that were not answered: the caller is no workload of the service (caller), no fast rule of the service charges so (charges), or the id has another form (id).',
    'reason',
  ),
  policy_server_quota_undefined_charges_total: counter('Charges granted to quotas without a configured limit.'),
  policy_server_store_errors_total: counter(
    'Requests whose quotas could not be counted: timeout, send or other.',
    'store',
    'failure',
  ),
  policy_server_unshared_replicas: gauge(
    'Replicas of the policy server that each count quotas in their own memory, if there are several; else 0.',
  ),
  policy_server_store_up: gauge('Whether the store of quotas is reachable.', 'store'),
} as const;

/** Families of a policy server that gets its configuration from a discovery server. */
export const policyDiscoveryFamilies = {
  policy_discovery_connected: gauge('1 while the policy server is connected to the discovery server, else 0.'),
  policy_discovery_rule_objects: gauge('Rules, and objects that they name, that are in force.'),
  policy_discovery_rule_updates_total: counter('Sets of rules that the discovery server sent.', 'result'),
  policy_discovery_services: gauge('Services whose policies are in force.'),
  policy_discovery_updates_total: counter('Configurations that the discovery server sent.', 'result'),
  policy_discovery_version: gauge('Always 1; the label is the version of the configuration in force.', 'version'),
} as const;
