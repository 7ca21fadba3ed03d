import type { ApiError } from './api-error.ts';
import type { WireRequest, WireResponse } from './message.ts';
import type { Asked, Protocol } from './protocol.ts';
import { QueryInputReader } from './query-input.ts';
import type { ServiceShapes } from './shapes.ts';
import { unknownAction } from './unknown-action.ts';
import { escapeXml, XmlWriter } from './xml.ts';

const XML_HEADERS = { 'content-type': 'text/xml;charset=UTF-8' };

interface QueryStyle {
  readonly shapes: ServiceShapes;
  readonly lists: 'flat' | 'named';
  /** The document around the elements of an answer. */
  readonly wrap: (operation: string, content: string, requestId: string) => string;
  readonly refuse: (error: ApiError, requestId: string) => string;
}

/** The protocol of EC2: a form goes in, XML comes out. */
export function ec2QueryProtocol(shapes: ServiceShapes): Protocol {
  return queryProtocol({
    shapes,
    lists: 'flat',
    wrap: (operation, content, requestId) =>
      `<${operation}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>${requestId}</requestId>` +
      `${content || '<return>true</return>'}</${operation}Response>`,
    refuse: ({ code, message }, requestId) =>
      `<Response><Errors><Error><Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message></Error></Errors>` +
      `<RequestID>${requestId}</RequestID></Response>`,
  });
}

/** The protocol of IAM and STS: as EC2's, but lists have the names of their items and results an element of their own. */
export function awsQueryProtocol(shapes: ServiceShapes, xmlNamespace: string): Protocol {
  return queryProtocol({
    shapes,
    lists: 'named',
    wrap: (operation, content, requestId) =>
      `<${operation}Response xmlns="${xmlNamespace}"><${operation}Result>${content}</${operation}Result>` +
      `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></${operation}Response>`,
    refuse: ({ code, message, status }, requestId) =>
      `<ErrorResponse xmlns="${xmlNamespace}"><Error><Type>${status < 500 ? 'Sender' : 'Receiver'}</Type>` +
      `<Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message></Error>` +
      `<RequestId>${requestId}</RequestId></ErrorResponse>`,
  });
}

function queryProtocol({ shapes, lists, wrap, refuse }: QueryStyle): Protocol {
  const inputs = new QueryInputReader(shapes.shapes, lists);
  const xml = new XmlWriter(shapes.shapes);
  return {
    read: ({ method, path, body }: WireRequest): Asked => {
      const form = new URLSearchParams(method === 'GET' ? path.slice(path.indexOf('?') + 1) : body);
      const operation = form.get('Action') ?? '';
      const types = shapes.operations[operation];
      if (types === undefined) throw unknownAction(operation);
      return { operation, input: () => (types[0] === null ? {} : inputs.read(types[0], form)) };
    },
    answer: (operation, output, requestId): WireResponse => {
      const type = shapes.operations[operation]![1];
      const content = type === null ? '' : xml.members(type, output);
      return { status: 200, headers: XML_HEADERS, body: document(wrap(operation, content, requestId)) };
    },
    refusal: (error, requestId) => ({
      status: error.status,
      headers: XML_HEADERS,
      body: document(refuse(error, requestId)),
    }),
  };
}

function document(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}
