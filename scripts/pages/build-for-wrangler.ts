// The [build] command of wrangler.toml: builds the pages before wrangler runs or deploys the Worker. BUILD_PAGES=never leaves them as
// they are, for builds of which only the Worker is used.
import { spawnSync } from 'node:child_process'

if (process.env['BUILD_PAGES'] !== 'never') {
  const { status } = spawnSync('npm', ['run', '--silent', 'pages'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = status ?? 1
}
