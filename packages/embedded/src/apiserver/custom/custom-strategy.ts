import { admitStatus, examine, type Resource } from '@karpenter-ts/apis';
import { goQuote, type Json, type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { invalidValue, type Problem } from '../field-errors.ts';
import { isJsonObject, isSameJson, without } from '../json-value.ts';
import { type KubeObject, scalarText, withMetadata } from '../object.ts';
import { apiVersionOf, type ServedResource } from '../resources.ts';
import { type ApiError, badRequest, forbidden, invalid } from '../status.ts';
import { storageOf } from '../storage/objects.ts';
import type { Conversion, DecodedBody, Examined, Strategy, Traits } from '../strategy.ts';
import type { CustomVersion } from './definition.ts';

/** The strategy of a custom resource: it is decoded, defaulted and validated by the schema of its definition. */
export class CustomStrategy implements Strategy {
  readonly resource: ServedResource;
  readonly traits: Traits = { needsVersion: true, typedItems: true };
  readonly storage: string;
  readonly errorKind: { readonly group: string; readonly kind: string };
  readonly selectable: ReadonlyMap<string, string>;
  readonly conversion: Conversion | undefined;
  readonly version: CustomVersion;
  readonly #isTerminating: boolean;

  /** `isTerminating`: the definition is being deleted, and no object may be created. */
  constructor(version: CustomVersion, isTerminating: boolean) {
    this.version = version;
    this.resource = version.served;
    this.storage = storageOf(version.served);
    this.errorKind = version.served;
    this.selectable = new Map(version.selectable.map((path) => [path, path]));
    this.conversion = version.storageVersion === version.served.version ? undefined : renaming(version);
    this.#isTerminating = isTerminating;
  }

  decode(body: JsonObject): DecodedBody {
    const { kind: ownKind } = this.resource;
    const ownVersion = apiVersionOf(this.resource);
    const { kind, apiVersion, metadata, ...rest } = body;
    if (!kind || !apiVersion) throw unrecognized(body, ownKind, kind ? 'apiVersion' : 'Kind');
    if (apiVersion !== ownVersion) {
      throw badRequest(
        `the API version in the data (${scalarText(apiVersion)}) does not match the expected API version (${ownVersion})`,
      );
    }
    const { decoding } = examine({ ...body, kind: ownKind }, this.version.resource);
    const hard = decoding.find(({ message }) => !message.startsWith('unknown field'));
    if (hard) {
      throw badRequest(
        `${ownKind} in version ${goQuote(this.resource.version)} cannot be handled as a ${ownKind}: ${hard.message}`,
      );
    }
    const own = isJsonObject(metadata) ? without(metadata, 'managedFields', 'selfLink') : {};
    const object = { kind, apiVersion: ownVersion, metadata: own, ...rest } as KubeObject;
    return { object, complaints: decoding.map(({ message }) => message) };
  }

  admit(object: KubeObject, old: KubeObject | undefined): KubeObject {
    if (!this.#isTerminating || old) return object;
    throw forbidden(
      this.resource,
      object.metadata.name,
      'create not allowed while custom resource definition is terminating',
    );
  }

  create(object: KubeObject): Examined {
    this.#checkKind(object);
    const examined = this.#examine(object);
    return { ...examined, object: withMetadata(examined.object, { generation: 1 }) };
  }

  update(object: KubeObject, old: KubeObject): Examined {
    this.#checkKind(object);
    const examined = this.#examine(object, old);
    const isChanged = !isSameJson(this.#generationPart(examined.object), this.#generationPart(old));
    const generation = (old.metadata.generation ?? 0) + (isChanged ? 1 : 0);
    return { ...examined, object: withMetadata(examined.object, { generation }) };
  }

  /** Only the status is taken over: metadata stays as it was, and the kind is not checked. */
  updateStatus(object: KubeObject, old: KubeObject): Examined {
    const { resource } = this.version;
    const status = prunedStatus(object['status'], resource);
    const { kind, apiVersion, metadata } = old;
    const sent = { kind, apiVersion, metadata, ...(status !== undefined && { status }) };
    const verdict = admitStatus(sent, resource, old);
    if (verdict.verdict === 'refused') return { object: old, problems: verdict.causes };
    return { object: (status === undefined ? without(old, 'status') : verdict.object) as KubeObject, problems: [] };
  }

  fieldsOf(stored: KubeObject): Readonly<Record<string, string>> | undefined {
    if (this.selectable.size === 0) return undefined;
    return Object.fromEntries([...this.selectable.values()].map((path) => [path, textOf(stored, path)]));
  }

  graceSeconds(): undefined {
    return undefined;
  }

  prepareDelete(object: KubeObject): KubeObject {
    return object;
  }

  isFinal(object: KubeObject): boolean {
    return !object.metadata.finalizers?.length;
  }

  isHeld(): boolean {
    return false;
  }

  /** A wrong kind is only reported when an object exists. */
  #checkKind({ kind, metadata }: KubeObject): void {
    const { group, kind: ownKind } = this.resource;
    if (kind === ownKind) return;
    throw invalid({ group, kind }, metadata.name ?? '', [invalidValue(['kind'], kind, `must be ${ownKind}`)]);
  }

  #examine(
    object: KubeObject,
    old?: KubeObject,
  ): { readonly object: KubeObject; readonly problems: readonly Problem[] } {
    const before = this.version.hasStatus ? old : withSentStatus(object, old);
    const { object: complete, errors } = examine(object, this.version.resource, before);
    return { object: complete as KubeObject, problems: errors };
  }

  /** The part whose changes increase the generation: all but metadata, and but the status if it is a subresource. */
  #generationPart(object: KubeObject): JsonObject {
    return without(object, 'metadata', ...(this.version.hasStatus ? ['status'] : []));
  }
}

/** The validator takes the status from the old object. Without a status subresource it must be the one sent. */
function withSentStatus(object: KubeObject, old: KubeObject | undefined): JsonObject | undefined {
  const { status } = object;
  if (status === undefined) return old && without(old, 'status');
  return { ...old, status };
}

/** The status without unknown fields: the validator refuses them, where the server drops them. */
function prunedStatus(status: Json | undefined, resource: Resource): Json | undefined {
  const schema = resource.schema.properties?.['status'];
  if (schema === undefined || status === undefined) return status;
  const body = { ...resource, schema: { type: 'object', properties: { body: schema } } } as const;
  return examine({ body: status }, body).object['body'];
}

function renaming({ served, storageVersion }: CustomVersion): Conversion {
  const stored = apiVersionOf({ group: served.group, version: storageVersion });
  return {
    fromStorage: (object) => ({ ...object, apiVersion: apiVersionOf(served) }),
    toStorage: (object) => ({ ...object, apiVersion: stored }),
  };
}

function unrecognized(body: JsonObject, kind: string, missing: string): ApiError {
  const text = JSON.stringify(body);
  const shown = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): Object '${missing}' is missing in '${text}' (${shown})`,
  );
}

function textOf(object: JsonObject, path: string): string {
  let at: Json | undefined = object;
  for (const key of path.split('.')) at = isJsonObject(at) ? memberOf(at, key) : undefined;
  return scalarText(at);
}
