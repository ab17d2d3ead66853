// The least a Worker on this project's router can do: one route that answers a constant.
import { Hono } from 'hono'

const app = new Hono()
app.get('/', (c) => c.json({ message: 'hello' }))

export default app
