// Runs `npm ci` if node_modules is missing or older than package-lock.json. Plain JavaScript, because it must run on any Node
// from 20, before the project's own Node is installed. INSTALL=never refuses instead: other processes may be using the packages.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

const installed = 'node_modules/.package-lock.json'
const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs

if (!isCurrent && process.env['INSTALL'] === 'never') {
  console.error('package-lock.json is newer than node_modules, and INSTALL=never forbids to install. Run `npm ci`.')
  process.exit(1)
}
if (!isCurrent) {
  console.log('Installing dependencies (npm ci), once …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('The installation failed. npm says why above; run the same command again when that is mended.')
    process.exit(status ?? 1)
  }
}
