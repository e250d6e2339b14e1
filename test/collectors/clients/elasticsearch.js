// Sends each line of a log as a document, with the bulk helper of Elasticsearch's client. node elasticsearch.js URL LOG
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client } from '@elastic/elasticsearch';

const [, , node, log] = process.argv;

async function* documents() {
  for await (const message of createInterface({ input: createReadStream(log) })) yield { message };
}

const client = new Client({ node });
const { successful, failed } = await client.helpers.bulk({
  datasource: documents(),
  onDocument: () => ({ create: { _index: 'webmail' } }),
  flushBytes: 20_000,
  concurrency: 1,
  wait: 10,
});
console.log(JSON.stringify({ successful, failed }));
