import { eventually } from '../../support/eventually.js';
import type { ApiServer } from './api-server.js';

export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Default: all objects. */
  readonly name?: string;
  /** Default: all namespaces. */
  readonly namespace?: string;
}

/** Waits until the API server, which learns of roles and their bindings by watches, grants a right that they give. */
export async function untilGranted({ client }: ApiServer, user: string, right: Right): Promise<void> {
  await eventually(`${user} may ${right.verb} ${right.resource}`, async () => {
    const { body } = await client.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes: right },
    });
    return (body as { readonly status?: { readonly allowed: boolean } }).status?.allowed;
  });
}
