export interface IngressText {
  readonly name?: string;
  readonly namespace?: string;
  /** Day of January 2026 on which it was created. */
  readonly day?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: unknown;
}

/** An Ingress of the class of the mesh. */
export function ingress({ name = 'web', namespace = 'shop', day = 1, annotations, spec }: IngressText): string {
  const metadata = {
    name,
    namespace,
    creationTimestamp: `2026-01-0${day}T00:00:00Z`,
    annotations: annotations ?? { 'kubernetes.io/ingress.class': 'mesh' },
  };
  return `---\n${JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec })}\n`;
}

export const backend = (name: string, port: number | string = 80) => ({
  service: { name, port: typeof port === 'number' ? { number: port } : { name: port } },
});

export const path = (text: string, name = 'web', pathType = 'Prefix') => ({
  path: text,
  pathType,
  backend: backend(name),
});

export const rule = (host: string, ...paths: readonly unknown[]) => ({
  ...(host === '' ? {} : { host }),
  http: { paths },
});

/** Services `web` and `api` of namespaces `shop` and `other`. */
export const SERVICES = ['shop', 'other']
  .flatMap((namespace) =>
    ['web', 'api'].map(
      (name) =>
        `---\napiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {clusterIP: None, ports: [{name: http, port: 80}, {name: admin, port: 81}]}\n`,
    ),
  )
  .join('');
