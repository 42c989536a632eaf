import type protobuf from 'protobufjs';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameResource } from '../../envoy/message-encoder.js';
import type { MessageFields } from '../../envoy/messages/message-problem.js';
import { checkMessage } from '../../envoy/messages/message-rules.js';
import { resourceMessage } from '../../envoy/resource-message.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Finding } from '../../model/finding.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import { applyToCluster, type PatchEffect } from './apply-to-cluster.js';
import { applyToListener } from './apply-to-listener.js';
import { applyToRoutes } from './apply-to-routes.js';
import { faultOfCluster, faultOfListener, faultOfRoutes } from './check-patched.js';
import { type PatchPlace, sideOf } from './patch-place.js';
import { messageIn, PatchError, type PatchTools, textIn } from './patch-tools.js';

/** A resource after the patches. */
export interface Patched {
  /** Undefined if a patch removed it. The resource itself if no patch changed it. */
  readonly resource: EncodedResource | undefined;
  /** Patches that were skipped. */
  readonly findings: readonly Finding[];
}

/** Applies patches to encoded resources of one type. */
export interface ResourcePatcher {
  /** @param patches in order */
  patch(resource: EncodedResource, patches: readonly Patch[], place: PatchPlace): Patched;
  /** Makes a resource from the value of an ADD, and applies the patches after it. Undefined if it is skipped. */
  add(patch: Patch, later: readonly Patch[], place: PatchPlace): Patched;
}

/** The most that patches may add to one resource: a patch is added in each filter chain that it matches. */
const MAX_ADDED_BYTES = 1024 * 1024;

/** The steps that differ between the types. */
interface Patching {
  apply(tools: PatchTools, patch: Patch, message: MessageFields, place: PatchPlace): PatchEffect;
  faultOf(tools: PatchTools, message: MessageFields): string | undefined;
}

const PATCHING: Readonly<Record<string, Patching | undefined>> = {
  [TypeUrl.cluster]: { apply: applyToCluster, faultOf: faultOfCluster },
  [TypeUrl.listener]: { apply: applyToListener, faultOf: faultOfListener },
  [TypeUrl.route]: {
    apply: (tools, patch, routes, place) => {
      const isOutbound = { ...place, side: sideOf(place.proxyType, false), port: undefined };
      return applyToRoutes(tools, patch, routes, isOutbound) ? 'changed' : 'none';
    },
    faultOf: faultOfRoutes,
  },
};

/** Undefined for a type that no patch changes. */
export function createResourcePatcher(tools: PatchTools, typeUrl: string): ResourcePatcher | undefined {
  const patching = PATCHING[typeUrl];
  if (patching === undefined) return undefined;

  const patchMessage = (start: PatchState, patches: readonly Patch[], place: PatchPlace): PatchState => {
    let state = start;
    for (const patch of patches) {
      if (state.bytes === undefined) break;
      try {
        state = step(state.bytes, patch, place, state);
      } catch (error) {
        if (!(error instanceof PatchError)) throw error;
        state = { ...state, findings: [...state.findings, skipped(patch, start.name, error.message)] };
      }
    }
    return state;
  };

  /** @throws PatchError */
  const step = (bytes: Uint8Array, patch: Patch, place: PatchPlace, state: PatchState): PatchState => {
    const type = tools.registry.type(typeUrl);
    const message = type.decode(bytes) as unknown as MessageFields;
    const effect = patching.apply(tools, patch, message, place);
    if (effect === 'none') return state;
    if (effect === 'removed') return { ...state, bytes: undefined };
    if (textIn(message, 'name') !== state.name) throw new PatchError(`it changes the name of ${state.name}`);
    const applied = [...state.applied, patch.id];
    return { ...state, bytes: checked(type, message, state.allowedBytes), applied };
  };

  /** @throws PatchError if Envoy would reject the message */
  const checked = (type: protobuf.Type, message: MessageFields, allowedBytes: number): Uint8Array => {
    const bytes = type.encode(message).finish();
    if (bytes.length > allowedBytes) {
      throw new PatchError(`the patches add more than ${MAX_ADDED_BYTES} bytes to it`);
    }
    const problem = checkMessage(tools.registry, type, message);
    if (problem !== undefined) throw new PatchError(`${problem.path} ${problem.message}`);
    const fault = patching.faultOf(tools, message);
    if (fault !== undefined) throw new PatchError(fault);
    return bytes;
  };

  const finish = (state: PatchState, unchanged: EncodedResource | undefined): Patched => {
    const { name, bytes, findings, applied } = state;
    if (bytes === undefined) return { resource: undefined, findings };
    if (unchanged !== undefined && bytes === state.original) return { resource: unchanged, findings };
    const resource = { ...frameResource(typeUrl, name, bytes), patches: applied };
    return { resource: withAssignment(resource, bytes), findings };
  };

  const withAssignment = (resource: EncodedResource, bytes: Uint8Array): EncodedResource => {
    if (typeUrl !== TypeUrl.cluster) return resource;
    const cluster = tools.registry.type(typeUrl).decode(bytes) as unknown as MessageFields;
    const assignment = textIn(messageIn(cluster, 'edsClusterConfig'), 'serviceName');
    return assignment === '' || assignment === resource.name ? resource : { ...resource, assignment };
  };

  return {
    patch: (resource, patches, place) => {
      const original = resourceMessage(resource);
      const allowedBytes = original.length + MAX_ADDED_BYTES;
      const start = { name: resource.name, original, bytes: original, allowedBytes, findings: [], applied: [] };
      return finish(patchMessage(start, patches, place), resource);
    },
    add: (patch, later, place) => {
      const type = tools.registry.type(typeUrl);
      try {
        const message = tools.valueOf(patch);
        const name = textIn(message, 'name');
        if (name === '') throw new PatchError('its value has no name');
        const bytes = checked(type, message, MAX_ADDED_BYTES);
        const allowedBytes = MAX_ADDED_BYTES;
        const start = { name, original: bytes, bytes, allowedBytes, findings: [], applied: [patch.id] };
        return finish(patchMessage(start, later, place), undefined);
      } catch (error) {
        if (!(error instanceof PatchError)) throw error;
        return { resource: undefined, findings: [skipped(patch, 'the added resource', error.message)] };
      }
    },
  };
}

interface PatchState {
  readonly name: string;
  readonly original: Uint8Array;
  /** Undefined once a patch has removed the resource. */
  readonly bytes: Uint8Array | undefined;
  readonly allowedBytes: number;
  /** Ids of the patches that changed it. */
  readonly applied: readonly string[];
  readonly findings: readonly Finding[];
}

/** A patch that is skipped, by its first resource. */
export function skipped({ object, index }: Patch, resource: string, reason: string): Finding {
  return {
    metric: 'nav_envoy_filter_patches_skipped',
    key: `${object}[${index}]`,
    message: `the patch is not applied to ${resource}: ${reason}`,
    object,
  };
}
