// EC2 as far as launches go: launch templates and fleets. It keeps what it is asked, and fails as it is told.
import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  CreateFleetError,
  CreateLaunchTemplateCommandInput,
  Filter,
  FleetLaunchTemplateOverridesRequest,
  LaunchTemplate,
} from '@aws-sdk/client-ec2';
import type { Ec2Api } from '../api/aws-apis.ts';
import { AwsError } from '../api/aws-error.ts';

type Override = FleetLaunchTemplateOverridesRequest;

/** Chooses what a fleet comes to. */
export type FleetChoice = (
  overrides: readonly Override[],
  input: CreateFleetCommandInput,
) => {
  readonly instance?: Override | undefined;
  readonly errors?: readonly CreateFleetError[];
};

/** The first of the overrides, by priority, then type, then zone. */
export function firstOverride(overrides: readonly Override[]): Override | undefined {
  return overrides.toSorted(
    (a, b) =>
      (a.Priority ?? 0) - (b.Priority ?? 0) ||
      compare(a.InstanceType ?? '', b.InstanceType ?? '') ||
      compare(a.AvailabilityZone ?? '', b.AvailabilityZone ?? ''),
  )[0];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** An error of one override. */
export function fleetError(code: string, override: Override | undefined, message = ''): CreateFleetError {
  return {
    ErrorCode: code,
    ErrorMessage: message,
    ...(override && {
      LaunchTemplateAndOverrides: { Overrides: override },
    }),
  };
}

type Calls = Pick<Ec2Api, 'describeLaunchTemplates' | 'createLaunchTemplate' | 'deleteLaunchTemplate' | 'createFleet'>;

type TemplateCall = 'describeLaunchTemplates' | 'createLaunchTemplate' | 'deleteLaunchTemplate';

/** Templates and fleets, with everything that was asked for. */
export class FakeFleets implements Calls {
  readonly templates = new Map<string, { readonly id: string; readonly input: CreateLaunchTemplateCommandInput }>();
  readonly createdTemplates: CreateLaunchTemplateCommandInput[] = [];
  readonly fleets: CreateFleetCommandInput[] = [];
  /** Errors of the next calls of CreateFleet, in their order. */
  readonly fleetFailures: Error[] = [];
  /** Errors of the next calls about templates. */
  readonly templateFailures: { readonly call: TemplateCall; readonly error: Error }[] = [];
  /** Calls about templates, in their order. */
  readonly templateCalls: string[] = [];
  choose: FleetChoice = (overrides) => ({ instance: firstOverride(overrides) });
  pageSize = 200;
  /** Names instances: those of the first fleet are i-1-0, i-1-1 and so on. */
  nameInstance = (fleet: number, index: number): string => `i-${fleet}-${index}`;
  #created = 0;

  /** All overrides of the last fleet. */
  get overrides(): readonly Override[] {
    return overridesOf(this.fleets.at(-1));
  }

  /** The template that was last asked for under this name. */
  templateData(name: string | undefined) {
    return this.templates.get(name ?? '')?.input.LaunchTemplateData;
  }

  readonly describeLaunchTemplates: Ec2Api['describeLaunchTemplates'] = async (input) => {
    const { LaunchTemplateNames: names, Filters, NextToken = '0' } = input;
    this.#note('describeLaunchTemplates', names?.join() ?? 'by tag');
    const all = [...this.templates].map(([LaunchTemplateName, { id, input: made }]) => ({
      template: { LaunchTemplateName, LaunchTemplateId: id },
      tags: new Map((made.TagSpecifications?.[0]?.Tags ?? []).map(({ Key, Value }) => [Key!, Value!])),
    }));
    if (names === undefined)
      return this.#page(
        all.filter(({ tags }) => matches(tags, Filters)),
        Number(NextToken),
      );
    const found = all.filter(({ template }) => names.includes(template.LaunchTemplateName));
    if (found.length < names.length) throw notFound(names);
    return { $metadata: {}, LaunchTemplates: found.map(({ template }) => template) };
  };

  #page(found: readonly { readonly template: LaunchTemplate }[], at: number) {
    const page = found.slice(at, at + this.pageSize);
    const NextToken = at + this.pageSize < found.length ? String(at + this.pageSize) : undefined;
    return { $metadata: {}, LaunchTemplates: page.map(({ template }) => template), NextToken };
  }

  readonly createLaunchTemplate: Ec2Api['createLaunchTemplate'] = async (input) => {
    const name = input.LaunchTemplateName!;
    this.#note('createLaunchTemplate', name);
    if (this.templates.has(name)) throw new AwsError('InvalidLaunchTemplateName.AlreadyExistsException', name);
    const id = `lt-${++this.#created}`;
    this.templates.set(name, { id, input });
    this.createdTemplates.push(input);
    return { $metadata: {}, LaunchTemplate: { LaunchTemplateId: id, LaunchTemplateName: name } };
  };

  readonly deleteLaunchTemplate: Ec2Api['deleteLaunchTemplate'] = async (input) => {
    const { LaunchTemplateId: id, LaunchTemplateName } = input;
    this.#note('deleteLaunchTemplate', id ?? LaunchTemplateName ?? '');
    const name = LaunchTemplateName ?? [...this.templates].find(([, template]) => template.id === id)?.[0] ?? '';
    if (!this.templates.delete(name)) throw new AwsError('InvalidLaunchTemplateId.NotFound', id ?? name);
    return { $metadata: {} };
  };

  readonly createFleet: Ec2Api['createFleet'] = async (input, signal) => {
    this.fleets.push(input);
    const failure = this.fleetFailures.shift();
    if (failure !== undefined) throw failure;
    return this.answer(input, signal);
  };

  /** The answer to a request for a fleet that does not fail. */
  answer: Ec2Api['createFleet'] = async (input) => {
    const count = input.TargetCapacitySpecification?.TotalTargetCapacity ?? 1;
    const { instance, errors = [] } = this.choose(overridesOf(input), input);
    return {
      $metadata: {},
      FleetId: `fleet-${this.fleets.length}`,
      Errors: [...errors],
      Instances: instance === undefined ? [] : [this.#launched(instance, count)],
    };
  };

  #launched(override: Override, count: number): NonNullable<CreateFleetCommandOutput['Instances']>[number] {
    return {
      InstanceIds: Array.from({ length: count }, (_, index) => this.nameInstance(this.fleets.length, index)),
      InstanceType: override.InstanceType!,
      LaunchTemplateAndOverrides: { Overrides: override },
    };
  }

  #note(call: TemplateCall, about: string): void {
    this.templateCalls.push(`${call} ${about}`);
    const at = this.templateFailures.findIndex((failure) => failure.call === call);
    const [failure] = at === -1 ? [] : this.templateFailures.splice(at, 1);
    if (failure !== undefined) throw failure.error;
  }
}

function overridesOf(input: CreateFleetCommandInput | undefined): readonly Override[] {
  return (input?.LaunchTemplateConfigs ?? []).flatMap(({ Overrides }) => Overrides ?? []);
}

function matches(tags: ReadonlyMap<string, string>, filters: readonly Filter[] = []): boolean {
  return filters.every(({ Name, Values }) => Values?.includes(tags.get(Name!.replace('tag:', '')) ?? '\0'));
}

function notFound(names: readonly string[]): AwsError {
  return new AwsError('InvalidLaunchTemplateName.NotFoundException', `no launch template ${names.join()}`);
}
