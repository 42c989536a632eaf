import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A request to the API server, and whether RBAC denied it. */
export interface AuditedRequest {
  /** `patch quotaspecs/status.config.mesh.internal`, as in meshd-permissions.ts. */
  readonly permission: string;
  readonly isForbidden: boolean;
}

/** The API server's own log of one user's requests. */
export interface Audit {
  /** Flags of kube-apiserver that write it. */
  readonly flags: readonly string[];
  /** Requests of a program, by the beginning of its user agent, with long requests that have not ended. */
  read(userAgent: string): Promise<readonly AuditedRequest[]>;
  remove(): Promise<void>;
}

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource: string; readonly apiGroup?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

export async function createAudit(user: string): Promise<Audit> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-audit-'));
  const [policyFile, logFile] = [join(folder, 'policy.json'), join(folder, 'log.jsonl')];
  const rules = [{ level: 'Metadata', users: [user], omitStages: ['RequestReceived'] }, { level: 'None' }];
  await writeFile(policyFile, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return {
    // Blocking, so that answered requests are in the log.
    flags: ['--audit-policy-file', policyFile, '--audit-log-path', logFile, '--audit-log-mode', 'blocking'],
    read: async (userAgent) => {
      const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
      return lines
        .map((line) => JSON.parse(line) as AuditEvent)
        .filter((event) => event.userAgent?.startsWith(userAgent) === true && event.objectRef !== undefined)
        .map(({ verb, objectRef, responseStatus }) => {
          const { resource = '', apiGroup = '', subresource } = objectRef ?? {};
          const name = subresource === undefined ? resource : `${resource}/${subresource}`;
          return { permission: `${verb} ${name}.${apiGroup}`, isForbidden: responseStatus?.code === 403 };
        });
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
