import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["src/novikoff/lab/page/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      "eqeqeq": "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "max-lines": ["error", 300],
    },
  },
];
