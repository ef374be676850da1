// A small server of ours on tmcp, for which no published server that asks was found; the packages are where $1 says.
const [packages] = process.argv.slice(2);
const load = (name) => import(`${packages}/${name}/src/index.js`);
const { McpServer } = await load("tmcp");
const { StdioTransport } = await load("@tmcp/transport-stdio");
const { ValibotJsonSchemaAdapter } = await load("@tmcp/adapter-valibot");
const v = await import(`${packages}/valibot/dist/index.mjs`);

const server = new McpServer(
  { name: "ours-on-tmcp", version: "1.0.0" },
  { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: {} } },
);

server.tool(
  { name: "order", description: "Order a drink.", replayable: true },
  async () => {
    const Drink = v.object({ drink: v.picklist(["tea", "coffee"]), cups: v.pipe(v.number(), v.integer()) });
    const got = await server.elicitation("What would you like?", Drink);
    return { content: [{ type: "text", text: JSON.stringify(got) }] };
  },
);

new StdioTransport(server).listen();
