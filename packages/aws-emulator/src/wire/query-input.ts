import { ApiError } from './api-error.ts';
import type { ServiceShapes, Shape, Type } from './shapes.ts';

/** A parameter's value and what is below its name: `Filter.1.Name` is below `Filter.1`. */
interface Parameter {
  value?: string;
  readonly below: Map<string, Parameter>;
}

/** How lists are written: EC2 numbers the items right below the list, the others below the item's name. */
export type ListStyle = 'flat' | 'named';

/** Reads parameters that were sent as a form into the input of an operation, as AWS' model describes it. */
export class QueryInputReader {
  readonly #shapes: ServiceShapes['shapes'];
  readonly #lists: ListStyle;

  constructor(shapes: ServiceShapes['shapes'], lists: ListStyle) {
    this.#shapes = shapes;
    this.#lists = lists;
  }

  /** Throws an ApiError for a parameter that the operation does not have, has not got, or cannot read. */
  read(shapeName: string, form: URLSearchParams): object {
    return this.#structure(this.#shapes[shapeName]!, treeOf(form), '');
  }

  #structure(shape: Shape, parameter: Parameter, path: string): object {
    const known = new Set(Object.values(shape.members).map(([queryName]) => queryName));
    for (const name of parameter.below.keys()) {
      if (!known.has(name)) throw new ApiError('UnknownParameter', `The parameter ${path}${name} is not recognized`);
    }
    const read: Record<string, unknown> = {};
    let index = 0;
    for (const [member, [queryName, , type]] of Object.entries(shape.members)) {
      const given = parameter.below.get(queryName);
      if (given !== undefined) read[member] = this.#value(type, given, path + queryName);
      else if (index < (shape.required ?? 0)) {
        throw new ApiError('MissingParameter', `The request must contain the parameter ${path}${queryName}`);
      }
      index++;
    }
    return read;
  }

  #value(type: Type, parameter: Parameter, path: string): unknown {
    if (typeof type !== 'string') return this.#list(type, parameter, path);
    const shape = this.#shapes[type];
    if (shape !== undefined) return this.#structure(shape, parameter, `${path}.`);
    return scalarOf(type, parameter.value ?? '', path);
  }

  #list([item, itemName]: Exclude<Type, string>, parameter: Parameter, path: string): unknown[] {
    const items = this.#lists === 'flat' ? parameter : (parameter.below.get(itemName) ?? { below: new Map() });
    return [...items.below]
      .map(([key, value]) => [Number(key), value] as const)
      .sort(([a], [b]) => a - b)
      .map(([number, value]) => {
        if (!Number.isInteger(number))
          throw new ApiError('UnknownParameter', `The parameter ${path} is not recognized`);
        return this.#value(item, value, `${path}.${number}`);
      });
  }
}

function treeOf(form: URLSearchParams): Parameter {
  const root: Parameter = { below: new Map() };
  for (const [name, value] of form) {
    if (name === 'Action' || name === 'Version') continue;
    let at = root;
    for (const part of name.split('.')) {
      let next = at.below.get(part);
      if (next === undefined) at.below.set(part, (next = { below: new Map() }));
      at = next;
    }
    at.value = value;
  }
  return root;
}

function scalarOf(type: string, text: string, path: string): unknown {
  const invalid = (): ApiError => new ApiError('InvalidParameterValue', `Invalid value '${text}' for ${path}`);
  switch (type) {
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalid();
      return text === 'true';
    case 'number': {
      const number = Number(text);
      if (text === '' || !Number.isFinite(number)) throw invalid();
      return number;
    }
    case 'timestamp': {
      const date = new Date(text);
      if (Number.isNaN(date.getTime())) throw invalid();
      return date;
    }
    default:
      return text;
  }
}
