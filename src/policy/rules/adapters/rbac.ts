import { OK_STATUS, type PolicyStatus } from '../../client/policy-status.js';
import type { Instance } from '../instance.js';
import { valueText } from '../value-text.js';
import type {
  Adapter,
  AdapterDecision,
  AuthorizationJudge,
  AuthorizationQuestion,
  HandlerEnvironment,
} from './adapter.js';

const DENIED: PolicyStatus = { code: 'PERMISSION_DENIED', message: 'access denied' };

/** Decides by AuthorizationPolicies about the subject and the action of an instance. What is not known is refused. */
export function buildRbac(
  _params: unknown,
  { authorization, judgeBy, log }: Pick<HandlerEnvironment, 'authorization' | 'judgeBy' | 'log'>,
): Adapter {
  if (authorization === undefined) throw new Error('the policy server has no AuthorizationPolicies of the handler');
  const decide = createRbacDecision(judgeBy(authorization), authorization.namespace);
  return {
    check: (instance) => {
      const { decision, needs } = decide(instance);
      if (needs !== undefined) {
        log.warn({ instance: instance.fullName, needs }, 'request refused: its instance lacks what policies compare');
      }
      return decision;
    },
    close: async () => undefined,
  };
}

/** @param ownNamespace the only one about whose services the handler decides; undefined: all */
export function createRbacDecision(
  judge: AuthorizationJudge,
  ownNamespace: string | undefined,
): (instance: Instance) => { readonly decision: AdapterDecision; readonly needs?: readonly string[] } {
  const decisions = { allowed: { status: OK_STATUS }, denied: { status: DENIED } };
  return (instance) => {
    const question = questionOf(instance, ownNamespace);
    if (ownNamespace !== undefined && question.namespace !== ownNamespace) return { decision: decisions.denied };
    const judgement = judge(question);
    if (judgement.type !== 'open') return { decision: decisions[judgement.type] };
    return { decision: decisions.denied, needs: judgement.needs };
  };
}

type Texts = ReadonlyMap<string, string>;

function questionOf({ maps }: Instance, ownNamespace = ''): AuthorizationQuestion {
  const texts = (name: string): Texts =>
    new Map(Array.from(maps.get(name) ?? [], ([key, value]) => [key, valueText(value)]));
  const [subject, action] = [texts('subject'), texts('action')];
  const properties = new Map([...texts('subject.properties'), ...texts('action.properties')]);
  const user = subject.get('user') ?? properties.get('source.principal');
  const sourceIp = properties.get('source.ip');
  const destinationIp = properties.get('destination.ip');
  const port = properties.get('destination.port');
  const serverName = properties.get('connection.sni');
  const path = action.get('path');
  return {
    namespace: action.get('namespace') ?? ownNamespace,
    labels: entriesNamed('destination.labels', properties),
    facts: {
      ...(user !== undefined && { principal: spiffeId(user) }),
      ...(sourceIp !== undefined && { sourceIp }),
      ...(destinationIp !== undefined && { destinationIp }),
      ...(port !== undefined && { destinationPort: Number(port) }),
      ...(serverName !== undefined && { serverName }),
      // Rules compare paths without their query.
      ...(path !== undefined && { path: path.split('?', 1)[0] ?? '' }),
      headers: headersOf(action, properties),
      hasAllHeaders: false,
      claims: claimsOf(subject, properties),
    },
  };
}

const SCHEME = 'spiffe://';

function spiffeId(user: string): string {
  return user === '' || user.startsWith(SCHEME) ? user : `${SCHEME}${user}`;
}

function headersOf(action: Texts, properties: Texts): Texts {
  const headers = Array.from(
    entriesNamed('request.headers', properties),
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const [method, host] = [action.get('method'), action.get('service')];
  return new Map([
    ...(method === undefined ? [] : [[':method', method] as const]),
    ...(host === undefined ? [] : [[':authority', host] as const]),
    ...headers,
  ]);
}

function claimsOf(subject: Texts, properties: Texts): Texts {
  const named = [
    ['groups', subject.get('groups')],
    ['aud', properties.get('request.auth.audiences')],
    ['azp', properties.get('request.auth.presenter')],
  ] as const;
  return new Map([
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ...entriesNamed('request.auth.claims', properties),
  ]);
}

/** `a` with its value for `MAP[a]`, as conditions of AuthorizationPolicies name them. */
function entriesNamed(map: string, properties: Texts): Texts {
  const entries = [...properties].filter(([name]) => name.startsWith(`${map}[`) && name.endsWith(']'));
  return new Map(entries.map(([name, value]) => [name.slice(map.length + 1, -1), value]));
}
