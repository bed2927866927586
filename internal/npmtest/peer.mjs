// A server on the official TypeScript SDK (v2), for the tests: one tool that
// asks for a form, one that asks for a page. Over stdio, or over HTTP on the
// port that it is given.
import { createServer } from 'node:http';
import { McpServer, createMcpHandler, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const form = {
  type: 'object',
  properties: {
    zone: { type: 'string', title: 'Zone', enum: ['eu', 'us'] },
    count: { type: 'integer', minimum: 1 },
    areas: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
  },
  required: ['zone', 'count'],
};

function factory() {
  const server = new McpServer({ name: 'ts-peer', version: '1.0.0' }, { capabilities: { tools: {} } });
  const asking = (name, request) =>
    server.registerTool(name, { description: 'asks' }, async (ctx) => {
      const answer = ctx.mcpReq.inputResponses?.answer;
      if (!answer) return inputRequired({ inputRequests: { answer: request }, requestState: 'state <&> 1' });
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    });
  asking('form', inputRequired.elicit({ message: 'Which zone?', requestedSchema: form }));
  asking('page', inputRequired.elicitUrl({ message: 'Sign in', url: 'https://example.com/login' }));
  return server;
}

const port = process.argv[2];
if (!port) {
  serveStdio(factory);
} else {
  const handler = createMcpHandler(factory);
  createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const response = await handler.fetch(
      new Request(`http://127.0.0.1:${port}${req.url}`, {
        method: req.method,
        headers: req.headers,
        body: chunks.length ? Buffer.concat(chunks) : undefined,
      }),
    );
    res.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body) for await (const chunk of response.body) res.write(chunk);
    res.end();
  }).listen(Number(port), '127.0.0.1', () => console.error('listening'));
}
