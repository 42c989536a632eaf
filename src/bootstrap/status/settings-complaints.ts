import { isRecord } from '../../base/record.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { SendRequest } from '../../kubernetes/client/api-sender.js';
import type { Complaint } from '../../status/kubernetes/event-writer.js';

export interface SettingsComplaintsOptions {
  readonly send: SendRequest;
  /** Problems of settings: of files, and of ConfigMaps by their key `ConfigMap/<namespace>/<name>`. */
  readonly problems: () => readonly ConfigProblem[];
  readonly namespace: string;
  /** The pod of this process, into which files are mounted; undefined outside of the cluster. */
  readonly pod: { readonly name: string; readonly uid: string } | undefined;
}

/** Creates the Events about refused settings: on their ConfigMap, or on the pod that has their file. */
export function createSettingsComplaints(options: SettingsComplaintsOptions): () => readonly Complaint[] {
  const { send, problems, namespace, pod } = options;
  /**
   * UIDs by object key; undefined while the request runs. A replaced ConfigMap of the same name gets its UID after a
   * restart.
   */
  const uids = new Map<string, string | undefined>();

  const askFor = (object: string, place: string, name: string): void => {
    uids.set(object, undefined);
    const query = { fieldSelector: `metadata.name=${name}` };
    send({ method: 'GET', path: `/api/v1/namespaces/${encodeURIComponent(place)}/configmaps`, query })
      .then(({ body }) => uids.set(object, uidOf(body)))
      .catch(() => uids.delete(object));
  };

  const complaintOf = ({ object, file, field, level, reason: text }: ConfigProblem): readonly Complaint[] => {
    if (level === 'Warn') return [];
    const found = { apiVersion: 'v1', reason: 'SettingsRefused', namespace };
    if (object === undefined) {
      if (pod === undefined) return [];
      return [{ ...found, ...pod, kind: 'Pod', message: `${file ?? 'settings'}: ${text}` }];
    }
    const [kind = '', place = '', name = ''] = object.split('/');
    if (!uids.has(object)) askFor(object, place, name);
    const uid = uids.get(object);
    const message = `${field === undefined ? '' : `${field}: `}${text}`;
    return uid === undefined ? [] : [{ ...found, kind, namespace: place, name, uid, message }];
  };

  return () => problems().flatMap(complaintOf);
}

function uidOf(list: unknown): string {
  const items: unknown = isRecord(list) ? list['items'] : undefined;
  const [found]: readonly unknown[] = Array.isArray(items) ? items : [];
  const metadata = isRecord(found) && isRecord(found['metadata']) ? found['metadata'] : {};
  return typeof metadata['uid'] === 'string' ? metadata['uid'] : '';
}
