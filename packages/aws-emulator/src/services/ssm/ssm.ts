import type {
  DeleteParameterRequest,
  GetParameterRequest,
  GetParameterResult,
  ParameterType,
  PutParameterRequest,
  PutParameterResult,
} from '@aws-sdk/client-ssm';
import { PerPlace, type Place, partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import { jsonProtocol } from '../../wire/json-protocol.ts';
import type { Answer, Call } from '../../wire/operation.ts';
import type { Service, ServiceDeps } from '../service.ts';

/** How AWS changes the parameters that it keeps for everybody. */
export interface SsmLevers {
  /** Sets a parameter of the emulator's region, also one of AWS' own, which no call may set. */
  put(name: string, value: string): void;
  remove(name: string): void;
}

/** The latest version. Earlier ones are not kept. */
interface StoredParameter {
  readonly value: string;
  readonly type: ParameterType;
  readonly version: number;
  readonly changedAt: Date;
}

type Parameters = Map<string, StoredParameter>;

/** Parameter Store. */
export function createSsm(deps: ServiceDeps): { readonly service: Service; readonly levers: SsmLevers } {
  const places = new PerPlace<Parameters>(() => new Map());
  const own = places.of(deps.place);
  const put = (parameters: Parameters, name: string, value: string, type: ParameterType = 'String'): number => {
    const version = (parameters.get(name)?.version ?? 0) + 1;
    parameters.set(name, { value, type, version, changedAt: new Date(deps.clock.now()) });
    return version;
  };
  const service: Service = {
    name: 'ssm',
    permissions: (operation, { Name = '' }: { readonly Name?: string }, place) => [
      { action: `ssm:${operation}`, resource: parameterArn(Name, place), context: {} },
    ],
    protocol: jsonProtocol('1.1'),
    handlers: {
      GetParameter: ({ Name = '' }: GetParameterRequest, { place }: Call): Answer<GetParameterResult> =>
        getParameter(places.of(place), Name, place),

      PutParameter: (input: PutParameterRequest, { place }: Call): Answer<PutParameterResult> => {
        const { Name: name = '', Value: value = '' } = input;
        checkOwnName(name);
        const parameters = places.of(place);
        if (parameters.has(name) && input.Overwrite !== true) throw alreadyExists();
        return { Version: put(parameters, name, value, input.Type), Tier: 'Standard' };
      },

      DeleteParameter: ({ Name = '' }: DeleteParameterRequest, { place }: Call): object => {
        if (!places.of(place).delete(Name)) throw parameterNotFound();
        return {};
      },
    },
  };
  return {
    service,
    levers: { put: (name, value) => void put(own, name, value), remove: (name) => void own.delete(name) },
  };
}

/** By name or ARN, and of a version if `:version` follows. */
function getParameter(parameters: Parameters, asked: string, place: Place): GetParameterResult {
  const [nameOrArn, version] = withoutVersion(asked);
  const name = nameOrArn.startsWith('arn:') ? nameIn(nameOrArn, place) : nameOrArn;
  checkName(name);
  const found = parameters.get(name);
  if (found === undefined) throw parameterNotFound();
  if (version !== undefined && Number(version) !== found.version) {
    throw new ApiError('ParameterVersionNotFound', `Systems Manager could not find version ${version} of ${name}.`);
  }
  return {
    Parameter: {
      Name: name,
      Type: found.type,
      Value: found.value,
      Version: found.version,
      LastModifiedDate: found.changedAt,
      ARN: arnOf(name, place),
      DataType: 'text',
      ...(version !== undefined && { Selector: `:${version}` }),
    },
  };
}

function withoutVersion(asked: string): readonly [nameOrArn: string, version: string | undefined] {
  const [, nameOrArn = asked, version] = /^(.*?)(?::(\d+))?$/.exec(asked) ?? [];
  return [nameOrArn, version];
}

/** Those of AWS belong to no account. */
function arnOf(name: string, { account, region }: Place): string {
  const owner = isOfAws(name) ? '' : account;
  return `arn:${partitionOf(region)}:ssm:${region}:${owner}:parameter${name.startsWith('/') ? '' : '/'}${name}`;
}

/** A name without slashes has one in its ARN. */
function nameIn(arn: string, { region }: Place): string {
  const [, ofRegion, name = ''] = /^arn:[\w-]+:ssm:([\w-]+):\d*:parameter(\/.+)$/.exec(arn) ?? [];
  if (ofRegion !== region) throw parameterNotFound();
  return name.lastIndexOf('/') === 0 ? name.slice(1) : name;
}

const NAME = /^[\w./-]{1,2048}$/;

function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new ApiError(
    'ValidationException',
    'Parameter name: can\'t be prefixed with "ssm" (case-insensitive). If formed as a path, it can consist of sub-paths divided by slash symbol; each sub-path can be formed as a mix of letters, numbers and the following 3 symbols .-_',
  );
}

function checkOwnName(name: string): void {
  checkName(name);
  if (isOfAws(name)) throw new ApiError('AccessDeniedException', `No access to reserved parameter name: ${name}.`);
}

function isOfAws(name: string): boolean {
  return /^\/?aws/i.test(name);
}

/** It has no text. */
function parameterNotFound(): ApiError {
  return new ApiError('ParameterNotFound', '');
}

function alreadyExists(): ApiError {
  const message =
    'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.';
  return new ApiError('ParameterAlreadyExists', message);
}

/** AWS' own parameters belong to no account of the caller. */
function parameterArn(name: string, { account, region }: Place): string {
  if (name.startsWith('arn:')) return name;
  const owner = name.startsWith('/aws/service/') ? '' : account;
  return `arn:${partitionOf(region)}:ssm:${region}:${owner}:parameter/${name.replace(/^\//, '')}`;
}
