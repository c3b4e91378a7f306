/** The languages whose failures are understood. Where two could read a line, the first one does. */
import type { Language } from './language.js';
import { dotnet } from './languages/dotnet.js';
import { go } from './languages/go.js';
import { javascript } from './languages/javascript.js';
import { jvm } from './languages/jvm.js';
import { native } from './languages/native.js';
import { php } from './languages/php.js';
import { python } from './languages/python.js';
import { ruby } from './languages/ruby.js';
import { rust } from './languages/rust.js';

export const languages: readonly Language[] = [go, python, rust, jvm, dotnet, javascript, php, ruby, native];
