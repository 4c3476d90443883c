"""No-limit games: betting trees from menus of sizes, sampled training, best responses, solving again."""
