"""The real VS Code, headless: installed into a cache folder, driven through its window, read through a companion."""
