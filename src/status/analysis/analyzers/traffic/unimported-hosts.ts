import { resolveHost } from '../../../../config/networking/host-names.js';
import { keyOf } from '../../../../config/object.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { SidecarPart } from '../../traffic/traffic-specs.js';

/** Hosts of the egress listeners of Sidecars that import nothing: no such service or VirtualService, or none that is visible. */
export const unimportedHosts: ObjectAnalyzer = {
  kinds: ['Sidecar'],
  find: (object, { importable, mesh, domain }) => {
    const { egress = [] } = object.body as SidecarPart;
    const { namespace } = object.metadata;
    const isOfRoot = namespace === mesh.rootNamespace;
    return egress.flatMap(({ hosts = [] }, listener) =>
      hosts.flatMap((text, at) => {
        const slash = text.indexOf('/');
        const [said, host] = [text.slice(0, slash), text.slice(slash + 1)];
        // A namespace need not have services, and in the root namespace "." is the namespace of each workload.
        if (said === '~' || (said === '.' && (host === '*' || isOfRoot))) return [];
        const from = said === '.' ? namespace : said;
        if (importable.has(from, host, isOfRoot ? undefined : namespace)) return [];
        const place = from === '*' ? 'of any namespace' : `of namespace ${from}`;
        const full = host.includes('.') || host === '*' ? undefined : resolveHost(host, from, domain);
        const rest =
          full !== undefined && from !== '*' && importable.has(from, full, isOfRoot ? undefined : namespace)
            ? `; write the whole name, ${said}/${full}`
            : '';
        const subject =
          host === '*' ? 'no service or VirtualService' : `no service or VirtualService with host ${host}`;
        const finding = `${subject} ${place} is visible to namespace ${namespace}${rest}`;
        const where = { object: keyOf(object), field: `spec.egress[${listener}].hosts[${at}]` };
        return [createMessage('importsNothing', where, finding)];
      }),
    );
  },
};
