module waymark/tools/docs

go 1.26.0

require waymark v0.0.0

require github.com/yuin/goldmark v1.8.7 // indirect

replace waymark => ../..
