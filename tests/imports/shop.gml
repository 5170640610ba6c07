Creator "by hand"
graph [
  directed 1
  name "Shop"
  node [ id 0 label "GW" zone "edge" exposed 1 ]
  node [ id 1 label "Web" zone "edge" ]
  node [ id 2 label "App" zone "inside" ]
  node [ id 3 label "DB" zone "inside" critical 1 ]
  node [ id 4 label "BK" zone "inside" critical 1 ]
  edge [ source 0 target 1 ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 3 weight 3 ]
  edge [ source 3 target 4 ]
]
